import { customObjects } from './custom-objects.mjs';

/** @param {import('../lab.mjs').Lab} lab */
export const block = async (lab) => [...(await customObjects(lab))];
