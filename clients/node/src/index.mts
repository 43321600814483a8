// For `import`. There is one guard in a process, however it is loaded: this hands out what `require` gets.
export * from './index.js';
