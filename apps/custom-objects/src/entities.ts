import { CustomField } from './object/field.entity.js';
import { CustomObject } from './object/object.entity.js';
import { ObjectShare } from './share/share.entity.js';

/** The tables that repositories reach through TypeORM. */
export const entities = [CustomField, CustomObject, ObjectShare];
