/** The built pages that an edge serves, by the app that builds them. */
export const PAGES = { gateway: 'console', 'marketplace-admin': 'operators-page', 'embed-gateway': 'embed-page' };
