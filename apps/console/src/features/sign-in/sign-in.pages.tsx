// One chunk: each page is small, and most visits see one of them.
export { default as Consent } from '../consent/consent.js';
export { default as LinkPage } from '../links/link.page.js';
export { default as ForgotPassword } from './forgot-password.js';
export { default as ReturnFromProvider } from './return-from-provider.js';
export { default as SignInLayout } from './sign-in.layout.js';
export { default as SignInPage } from './sign-in.page.js';
