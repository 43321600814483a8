module latchkey.dev/guard

go 1.25
