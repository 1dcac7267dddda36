# The subject is a program that is installed with fauxplat: beside it, or anywhere in PATH. Here it gets a short name.
beside=$(dirname "$FAUXPLAT")/fauxplat-blink
if [ -x "$beside" ]; then
    exec ln -s "$beside" blink
fi
found=$(command -v fauxplat-blink) && exec ln -s "$found" blink
echo "fauxplat-blink is neither beside $FAUXPLAT nor in PATH: \`make install\` puts it there, and so does the package"
exit 77
