import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { PlainError } from '../plain-error.mjs';
import { billOfMaterials } from './bill-of-materials.mjs';
import { imagePackages } from './image-packages.mjs';
import { licenceProblems } from './licence-rule.mjs';
import { noticesOf } from './notices.mjs';

const validator = new JsonStrictValidator(Version.v1dot6);

/**
 * @typedef {object} Documents
 * @property {string} bill the bill of materials, in the JSON of CycloneDX
 * @property {string} notices the licence texts of the packages of others
 * @property {{ all: number, ofOthers: number }} counts of packages
 */

/**
 * Makes what goes with an image.
 * @param {import('./images.mjs').Image} image
 * @param {Pick<import('./bill-of-materials.mjs').Order, 'version' | 'integrity' | 'timestamp'>} order
 * @returns {Promise<Documents>}
 * @throws {PlainError} when a package may not be shipped, or the bill of materials breaks its schema
 */
export async function documentsOf(image, order) {
  const name = `crm/${image.name}`;
  const contents = imagePackages(image);
  const unlicensed = licenceProblems(contents.map((one) => one.package));
  if (unlicensed.length > 0) throw new PlainError(`${name}: ${unlicensed.join('\n')}`);
  const bill = `${JSON.stringify(billOfMaterials({ ...order, image: name, contents }), null, 2)}\n`;
  const problem = await validator.validate(bill);
  if (problem) throw new PlainError(`The bill of materials of ${name} breaks its schema: ${JSON.stringify(problem)}`);
  const others = contents.map((one) => one.package).filter(({ isOwn }) => !isOwn);
  return { bill, notices: await noticesOf(name, others), counts: { all: contents.length, ofOthers: others.length } };
}
