module guard-program

go 1.25

require latchkey.dev/guard v0.0.0

replace latchkey.dev/guard => ../../../../clients/go
