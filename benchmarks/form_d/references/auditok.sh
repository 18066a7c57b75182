uv pip install -q .
{
  echo "id,start,end"
  auditok inputs/calls.wav -n 0.2 -m 5 -s 0.25 -d -e 55 -a 0.01 --time-format %S --printf "{id},{start},{end}" -o "outputs/call_{id}.wav"
} > outputs/calls.csv
