import { useTexts } from '@crm/ui';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export function ForgotLink() {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <p>
      <a href="/account/forgot-password">{texts.forgot}</a>
    </p>
  );
}
