def repeated(text, int times):
    return text * times
