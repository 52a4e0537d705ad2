export { DEVICE_TOKEN_DESCRIPTION, DEVICE_TOKEN_HEADER, giveDeviceToken, type HeaderReply } from './device-token.js';
export {
  PasskeyAnswerInput,
  PasskeyInput,
  PasskeyListView,
  PasskeyNameInput,
  PasskeyOptionsView,
  PasskeyView,
} from './passkey.dto.js';
export {
  AuthenticatorCodeInput,
  AuthenticatorView,
  CodeInput,
  EnrolledView,
  EnrolmentCodeInput,
  EnrolmentInput,
  RecoveryCodesView,
  StepUpInput,
  UserStepUpInput,
} from './second-factor.dto.js';
export { SessionView } from './session.dto.js';
export { RefreshInput, SignInInput, TokenPairView } from './sign-in.dto.js';
export { SignInView } from './sign-in-answer.dto.js';
export { Workspace } from './workspace.dto.js';
