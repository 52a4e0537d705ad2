// One chunk: each page is small, and most visits see one of them.
export { default as Consent } from './features/consent/consent.js';
export { default as LinkPage } from './features/links/link.page.js';
export { default as ForgotPassword } from './features/sign-in/forgot-password.js';
export { default as ReturnFromProvider } from './features/sign-in/return-from-provider.js';
export { default as SignInLayout } from './features/sign-in/sign-in.layout.js';
export { default as SignInPage } from './features/sign-in/sign-in.page.js';
export { default as SignInAgain } from './features/sign-in/sign-in-again.js';
