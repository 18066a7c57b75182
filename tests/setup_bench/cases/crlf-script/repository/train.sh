set -e
cd .
EPOCHS=2
if [ -f train.py ]; then
  python train.py --epochs $EPOCHS
fi
