/** The version of the platform, of every package, image and OpenAPI document. */
export const PLATFORM_VERSION = '0.1.0';
