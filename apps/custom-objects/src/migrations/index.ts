import { Schema1795910400000 } from './1795910400000-schema.js';

export const migrations = [Schema1795910400000];
