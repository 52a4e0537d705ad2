/** What an image says of the work of others, in its folder /app. Scanners find a bill of materials by the end of its name. */
export const NOTICES_FILE = 'NOTICES.txt';
export const BILL_FILE = 'sbom.cdx.json';
