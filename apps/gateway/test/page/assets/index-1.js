export const isLoaded = true;
