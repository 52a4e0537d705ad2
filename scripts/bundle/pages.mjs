/** The built pages that an edge serves, by the app that builds them. */
export const PAGES = {
  gateway: ['console', 'account-page'],
  'marketplace-admin': ['operators-page'],
  'embed-gateway': ['embed-page'],
};

/**
 * @param {string} service
 * @returns {readonly string[]} the apps whose pages it serves
 */
export const pagesOf = (service) => Object.entries(PAGES).find(([edge]) => edge === service)?.[1] ?? [];
