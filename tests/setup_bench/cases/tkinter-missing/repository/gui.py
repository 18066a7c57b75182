import tkinter

window = tkinter.Tk()
window.title("collage")
print("ready")
