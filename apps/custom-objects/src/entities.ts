import { CustomField, CustomObject, ObjectShare } from './object/object.entity.js';

/** The tables that repositories reach through TypeORM. */
export const entities = [CustomField, CustomObject, ObjectShare];
