"""A sampled signal."""

import cmath


def load(path):
    """A signal from a text file: its rate in Hz, then one sample a line."""
    with open(path) as file:
        rate, *samples = [float(line) for line in file]
    return Signal(int(rate), samples)


class Signal:
    """Samples at a rate in Hz."""

    def __init__(self, rate, samples):
        self.rate, self.samples = rate, list(samples)

    def resample(self, rate):
        """At a lower rate that divides its own: every so-manieth sample. Raises ValueError otherwise."""
        if self.rate % rate:
            raise ValueError(f"{rate} does not divide {self.rate}")
        return Signal(rate, self.samples[:: self.rate // rate])

    def peaks(self, above):
        """Places of the samples that are higher than both neighbours and than `above`."""
        s = self.samples
        return [n for n in range(1, len(s) - 1) if s[n] > above and s[n - 1] < s[n] >= s[n + 1]]

    def spectrum(self):
        """Pairs of a frequency in Hz and its magnitude, up to half the rate."""
        size = len(self.samples)
        return [
            (k * self.rate / size, abs(sum(x * cmath.exp(-2j * cmath.pi * k * n / size) for n, x in enumerate(self.samples))))
            for k in range(size // 2 + 1)
        ]

    def save(self, path):
        """Write it as `load` reads it."""
        with open(path, "w") as file:
            file.write("\n".join(map(str, [self.rate, *self.samples])) + "\n")
