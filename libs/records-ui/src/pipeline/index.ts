export { Pipeline } from './pipeline.js';
