export { absentUntilSet, counter, gauge, histogram } from './declare.js';
