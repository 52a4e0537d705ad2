import { customObjects } from './custom-objects.mjs';
import { otherServices } from './services.mjs';

/** @param {import('../lab.mjs').Lab} lab */
export const block = async (lab) => [...(await customObjects(lab)), ...(await otherServices(lab))];
