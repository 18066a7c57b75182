uv pip install -q .
python - <<'PY'
import csv

import mappy

aligner = mappy.Aligner("inputs/reference.fa", preset="map-ont")
with open("outputs/hits.tsv", "w", newline="") as file:
    rows = csv.writer(file, delimiter="\t")
    rows.writerow(["read", "contig", "start", "end", "strand", "mapq"])
    for name, sequence, _ in mappy.fastx_read("inputs/reads.fq"):
        for hit in aligner.map(sequence):
            if hit.is_primary:
                rows.writerow([name, hit.ctg, hit.r_st, hit.r_en, "+" if hit.strand > 0 else "-", hit.mapq])
PY
