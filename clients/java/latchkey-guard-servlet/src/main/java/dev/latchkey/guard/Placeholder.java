package dev.latchkey.guard;

class Placeholder {}
