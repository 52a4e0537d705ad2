import type { Catalogue } from '@crm/ui';

interface VerifyTexts {
  readonly invalid: string;
  readonly resend: string;
  readonly sent: string;
  readonly problems: Readonly<Record<string, string>>;
}

export const VERIFY_TEXTS: Catalogue<VerifyTexts> = {
  en: {
    invalid: 'This link does not work for the account.',
    resend: 'Send another mail',
    sent: 'A new mail is on its way. Open the link in that one.',
    problems: {
      CONFLICT: 'The address of this account is verified already.',
      EMAIL_TAKEN:
        'The address was verified for another workspace. This account cannot be signed in to with it any more.',
    },
  },
  de: {
    invalid: 'Dieser Link gilt nicht für das Konto.',
    resend: 'Noch eine E-Mail schicken',
    sent: 'Eine neue E-Mail ist unterwegs. Öffnen Sie den Link darin.',
    problems: {
      CONFLICT: 'Die Adresse dieses Kontos ist bereits bestätigt.',
      EMAIL_TAKEN:
        'Die Adresse wurde für einen anderen Arbeitsbereich bestätigt. Mit ihr kann sich dieses Konto nicht mehr anmelden.',
    },
  },
};
