export { Pipeline, type PipelineProps } from './pipeline.js';
