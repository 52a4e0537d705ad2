import type { Catalogue } from '@crm/ui';

interface ProofTexts {
  readonly title: string;
  readonly text: string;
  readonly passkey: string;
  readonly noPasskeyUsed: string;
  readonly signInAgain: string;
  readonly passkeyProblems: Readonly<Record<string, string>>;
  readonly codeProblems: Readonly<Record<string, string>>;
  readonly passwordProblems: Readonly<Record<string, string>>;
}

export const PROOF_TEXTS: Catalogue<ProofTexts> = {
  en: {
    title: 'Prove that it is you',
    text: 'Whoever changes this could take over your account, so you are asked again. It counts for some minutes.',
    passkey: 'Use a passkey',
    noPasskeyUsed: 'No passkey was used. Try again, or choose another way.',
    signInAgain: 'Sign in again instead',
    passkeyProblems: { INVALID_CREDENTIALS: 'This passkey is not one of your account.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'This code is wrong, was used, or comes too late.',
      VALIDATION_FAILED: 'This is not what a code looks like.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'The password is wrong. If your account has none, sign in again instead.',
    },
  },
  de: {
    title: 'Bestätigen, dass Sie es sind',
    text: 'Wer dies ändert, könnte Ihr Konto übernehmen. Deshalb werden Sie noch einmal gefragt. Es gilt einige Minuten lang.',
    passkey: 'Passkey verwenden',
    noPasskeyUsed: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder wählen Sie einen anderen Weg.',
    signInAgain: 'Stattdessen erneut anmelden',
    passkeyProblems: { INVALID_CREDENTIALS: 'Dieser Passkey gehört nicht zu Ihrem Konto.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch, wurde schon verwendet oder kommt zu spät.',
      VALIDATION_FAILED: 'So sieht kein Code aus.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'Das Passwort ist falsch. Wenn Ihr Konto keines hat, melden Sie sich stattdessen erneut an.',
    },
  },
};
