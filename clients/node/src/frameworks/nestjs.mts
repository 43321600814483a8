// For `import`. A process has one guard, however it is loaded: this file exports what `require` gets.
export * from './nestjs.js';
