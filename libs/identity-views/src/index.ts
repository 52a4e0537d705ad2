export { RefreshInput, SignInInput, TokenPairView } from './sign-in.dto.js';
export { Workspace } from './workspace.dto.js';
