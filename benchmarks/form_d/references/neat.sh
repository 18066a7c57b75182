uv pip install -q .
cat > outputs/neat.cfg <<'CFG'
[NEAT]
fitness_criterion     = max
fitness_threshold     = 3.9
no_fitness_termination = False
pop_size              = 120
reset_on_extinction   = False

[DefaultGenome]
activation_default      = sigmoid
activation_mutate_rate  = 0.0
activation_options      = sigmoid
aggregation_default     = sum
aggregation_mutate_rate = 0.0
aggregation_options     = sum
bias_init_mean          = 0.0
bias_init_stdev         = 1.0
bias_init_type          = gaussian
bias_max_value          = 30.0
bias_min_value          = -30.0
bias_mutate_power       = 0.5
bias_mutate_rate        = 0.7
bias_replace_rate       = 0.1
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient   = 0.5
conn_add_prob           = 0.5
conn_delete_prob        = 0.5
enabled_default         = True
enabled_mutate_rate     = 0.01
enabled_rate_to_true_add  = 0.0
enabled_rate_to_false_add = 0.0
feed_forward            = True
initial_connection      = full_direct
node_add_prob           = 0.2
node_delete_prob        = 0.2
num_hidden              = 0
num_inputs              = 2
num_outputs             = 1
response_init_mean      = 1.0
response_init_stdev     = 0.0
response_init_type      = gaussian
response_max_value      = 30.0
response_min_value      = -30.0
response_mutate_power   = 0.0
response_mutate_rate    = 0.0
response_replace_rate   = 0.0
single_structural_mutation = False
structural_mutation_surer  = default
weight_init_mean        = 0.0
weight_init_stdev       = 1.0
weight_init_type        = gaussian
weight_max_value        = 30
weight_min_value        = -30
weight_mutate_power     = 0.5
weight_mutate_rate      = 0.8
weight_replace_rate     = 0.1

[DefaultSpeciesSet]
compatibility_threshold = 3.0

[DefaultStagnation]
species_fitness_func = max
max_stagnation       = 20
species_elitism      = 2

[DefaultReproduction]
elitism            = 2
survival_threshold = 0.2
min_species_size   = 2
CFG
python - <<'PY'
import csv
import json
import random

import neat

cases = [(float(row["a"]), float(row["b"]), float(row["out"])) for row in csv.DictReader(open("inputs/table.csv"))]


def judge(genomes, config):
    for _, genome in genomes:
        network = neat.nn.FeedForwardNetwork.create(genome, config)
        genome.fitness = 4 - sum((network.activate((a, b))[0] - out) ** 2 for a, b, out in cases)


config = neat.Config(
    neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet, neat.DefaultStagnation, "outputs/neat.cfg"
)
for seed in range(20):
    random.seed(seed)
    winner = neat.Population(config).run(judge, 300)
    if winner.fitness >= 3.9:
        break
nodes = [
    {"id": key, "bias": node.bias, "response": node.response, "activation": node.activation}
    for key, node in winner.nodes.items()
]
connections = [
    {"from": start, "to": end, "weight": one.weight} for (start, end), one in winner.connections.items() if one.enabled
]
with open("outputs/winner.json", "w") as file:
    json.dump({"fitness": winner.fitness, "nodes": nodes, "connections": connections}, file, indent=1)
PY
