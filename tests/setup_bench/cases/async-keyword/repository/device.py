class Tensor:
    def cuda(self, **options):
        return options
