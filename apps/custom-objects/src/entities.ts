import { CustomField } from './object/field.entity.js';
import { CustomObject } from './object/object.entity.js';

/** The tables that repositories reach through TypeORM. */
export const entities = [CustomField, CustomObject];
