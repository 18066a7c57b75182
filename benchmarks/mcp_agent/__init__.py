"""What our tools are worth to a coding agent: the same agent with a shell alone, and with the MCP server's tools besides.

python -m benchmarks.mcp_agent rows --repos DIR --out ten.jsonl
python -m benchmarks.mcp_agent run --tasks ten.jsonl --repos DIR --base-url URL --model NAME --out alone.jsonl
python -m benchmarks.mcp_agent run --tasks ten.jsonl --repos DIR --base-url URL --model NAME --tools --out with.jsonl
ml-agent bench score --tasks ten.jsonl --repos DIR --predictions with.jsonl --mode same-call
"""
