import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/**
 * @typedef {object} Finding
 * @property {string} rule such as `redocly/operation-4xx-response` or `spectral/operation-description`
 * @property {string} where JSON pointer into the document
 * @property {string} message
 */

/** The name of the licence is enough: its address would say the same a second time. */
const REDOCLY = { extends: ['recommended'], rules: /** @type {const} */ ({ 'info-license-strict': 'off' }) };
const SPECTRAL = {
  extends: [/** @type {import('@stoplight/spectral-core').RulesetDefinition} */ (rulesets.oas)],
  rules: /** @type {const} */ ({ 'license-url': 'off' }),
};

/**
 * What the recommended rules of Redocly and the OpenAPI rules of Spectral say about a document, warnings included.
 * Needs no network: a document has no reference to another file.
 * @param {string} text the document as JSON
 * @returns {Promise<Finding[]>}
 */
export async function findingsOf(text) {
  const [redocly, spectral] = await Promise.all([byRedocly(text), bySpectral(text)]);
  return [...redocly, ...spectral];
}

/**
 * @param {string} text
 * @returns {Promise<Finding[]>}
 */
async function byRedocly(text) {
  const config = await createConfig(REDOCLY);
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location: [place] }) => ({
    rule: `redocly/${ruleId}`,
    where: place?.pointer ?? '#/',
    message,
  }));
}

/**
 * @param {string} text
 * @returns {Promise<Finding[]>}
 */
async function bySpectral(text) {
  const spectral = new Spectral();
  spectral.setRuleset(SPECTRAL);
  const results = await spectral.run(JSON.parse(text));
  return results.filter(isAboutDocument).map(({ code, message, path }) => ({
    rule: `spectral/${code}`,
    where: `#/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`,
    message,
  }));
}

/**
 * Spectral takes whatever has members `schema` and `example` for the content of a media type, also a value within an
 * example, such as an entry of the catalogue of events.
 * @param {{ code: string | number, path: (string | number)[] }} result
 */
function isAboutDocument({ code, path }) {
  return code !== 'oas3-valid-media-example' || path.indexOf('example') === path.lastIndexOf('example');
}
