"""LoRA on the bench's chat examples: train, merge, serve. Needs torch, transformers, peft, trl, datasets (docs/fine-tuning.md).

fine_tune.py train --data train.jsonl --model NAME_OR_FOLDER --out tuned [--epochs 3 --rate 2e-4 --length 4096]
fine_tune.py tiny  --data train.jsonl --out tiny         a small random model and its tokenizer, to try the way without a download
fine_tune.py serve --model tuned [--port 8000]           an OpenAI-compatible endpoint on loopback, one request at a time
"""

import argparse
import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trl import SFTConfig

CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
MOST_NEW_TOKENS = 1024


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train")
    training.add_argument("--data", type=Path, required=True)
    training.add_argument("--model", required=True)
    training.add_argument("--out", type=Path, required=True)
    training.add_argument("--epochs", type=float, default=3)
    training.add_argument("--rate", type=float, default=2e-4)
    training.add_argument("--length", type=int, default=4096, help="tokens of an example; longer ones are cut")
    training.add_argument("--batch", type=int, default=16, help="examples a step, gathered one by one")
    training.add_argument("--rank", type=int, default=16)
    small = commands.add_parser("tiny")
    small.add_argument("--data", type=Path, required=True)
    small.add_argument("--out", type=Path, required=True)
    serving = commands.add_parser("serve")
    serving.add_argument("--model", type=Path, required=True)
    serving.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    {"train": train, "tiny": tiny, "serve": serve}[arguments.command](arguments)


def train(arguments: argparse.Namespace) -> None:
    """Train an adapter on the answers only, merge it into the model, save both with the loss by step."""
    from datasets import load_dataset
    from peft import LoraConfig
    from trl import SFTTrainer

    rows = load_dataset("json", data_files=str(arguments.data), split="train")
    rows = rows.map(
        lambda row: {"prompt": row["messages"][:-1], "completion": row["messages"][-1:]},
        remove_columns=rows.column_names,
    )
    adapter = LoraConfig(
        r=arguments.rank,
        lora_alpha=2 * arguments.rank,
        lora_dropout=0.05,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    trainer = SFTTrainer(model=arguments.model, train_dataset=rows, args=_settings(arguments), peft_config=adapter)
    trainer.train()
    trainer.save_model(str(arguments.out / "adapter"))
    merged = trainer.model.merge_and_unload()
    merged.save_pretrained(arguments.out)
    trainer.processing_class.save_pretrained(arguments.out)
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    (arguments.out / "losses.json").write_text(json.dumps(losses))
    print(f"merged model in {arguments.out}; loss {losses[0]:.3f} to {losses[-1]:.3f} in {len(losses)} steps")


def _settings(arguments: argparse.Namespace) -> "SFTConfig":
    import torch
    from trl import SFTConfig

    gpu = torch.cuda.is_available()
    return SFTConfig(
        output_dir=str(arguments.out / "steps"),
        max_length=arguments.length,
        num_train_epochs=arguments.epochs,
        learning_rate=arguments.rate,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=arguments.batch,
        gradient_checkpointing=gpu,
        bf16=gpu,
        use_cpu=not gpu,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        seed=7,
    )


def tiny(arguments: argparse.Namespace) -> None:
    """A random model of some 300,000 weights with a tokenizer learned from the examples."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    lines = [json.loads(line) for line in arguments.data.read_text(encoding="utf-8").splitlines()]
    texts = [message["content"] for line in lines for message in line["messages"]]
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learned.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learned.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=1024, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=learned, eos_token=SPECIAL[0], pad_token=SPECIAL[1])
    tokenizer.chat_template = CHAT
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)


def serve(arguments: argparse.Namespace) -> None:
    """Answer chat completions on loopback until it is ended."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype="auto").eval()

    class Handler(BaseHTTPRequestHandler):
        """`GET /v1/models` and `POST /v1/chat/completions`."""

        def do_GET(self) -> None:
            """The one model."""
            self._reply({"object": "list", "data": [{"id": arguments.model.name, "object": "model"}]})

        def do_POST(self) -> None:
            """One answer."""
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._reply(completion(asked, model, tokenizer))

        def _reply(self, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # the base class's name
            """Say nothing."""

    HTTPServer(("127.0.0.1", arguments.port), Handler).serve_forever()


def completion(asked: dict[str, Any], model: Any, tokenizer: Any) -> dict[str, Any]:
    """The reply to a chat request, in the shape of chat completions."""
    import torch

    prompt = tokenizer.apply_chat_template(asked["messages"], add_generation_prompt=True, tokenize=False)
    inputs = tokenizer(prompt, return_tensors="pt", add_special_tokens=False).to(model.device)
    most = min(int(asked.get("max_tokens") or asked.get("max_completion_tokens") or MOST_NEW_TOKENS), MOST_NEW_TOKENS)
    temperature = float(asked.get("temperature") or 0)
    sampling = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
    with torch.no_grad():
        out = model.generate(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], max_new_tokens=most, **sampling
        )
    told = inputs["input_ids"].shape[1]
    made = out[0][told:]
    usage = {"prompt_tokens": told, "completion_tokens": len(made), "total_tokens": told + len(made)}
    text = tokenizer.decode(made, skip_special_tokens=True)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {
        "id": f"chatcmpl-{time.time_ns()}", "object": "chat.completion", "created": int(time.time()),
        "model": asked.get("model", ""), "choices": [choice], "usage": usage,
    }  # fmt: skip


if __name__ == "__main__":
    main()
