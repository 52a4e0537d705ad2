import { catalogue } from '@crm/ui';

export const SECOND_FACTOR_TEXTS = catalogue({
  en: {
    title: 'Enter your code',
    passkeyTitle: 'Use your passkey',
    mailText: 'A mail with a code of six digits is on its way to you.',
    appText: 'Open your authenticator app and type in the code that it shows.',
    code: 'Code of six digits',
    recoveryText: 'Type in one of the recovery codes that you have kept. Each works once.',
    recoveryCode: 'Recovery code',
    useRecovery: 'Use a recovery code instead',
    useApp: 'Use the authenticator app instead',
    submit: 'Continue',
    again: 'Begin the sign-in again',
    beginAgain: 'After five attempts or ten minutes, begin again.',
    problems: {
      INVALID_CREDENTIALS: 'This code is wrong, was used, or comes too late.',
      VALIDATION_FAILED: 'This is not what a code looks like.',
    },
    enrolTitle: 'Set up a second factor',
    enrolText:
      'Your workspace requires one. You need an authenticator app on your phone, such as Google Authenticator, Microsoft Authenticator, 1Password or Aegis.',
    enrolStart: 'Set up the app',
    enrolProblems: {
      INVALID_CREDENTIALS: 'This code is wrong, or the sign-in took too long. Check the clock of your phone.',
      CONFLICT: 'Your account has an authenticator by now. Begin the sign-in again.',
    },
    scanText: 'Scan this with the app, then type in the code that it shows.',
    qrLabel: 'QR code for the authenticator app',
    secretText: 'Without a camera, type this key into the app:',
    confirm: 'Confirm',
    codesTitle: 'Keep your recovery codes',
    codesText: 'Each replaces a code of the app once, should you lose your phone. They are shown this once.',
    copy: 'Copy the codes',
    kept: 'I have kept them',
  },
  de: {
    title: 'Code eingeben',
    passkeyTitle: 'Passkey verwenden',
    mailText: 'Eine E-Mail mit einem sechsstelligen Code ist zu Ihnen unterwegs.',
    appText: 'Öffnen Sie Ihre Authenticator-App, und geben Sie den Code ein, den sie anzeigt.',
    code: 'Sechsstelliger Code',
    recoveryText: 'Geben Sie einen der Wiederherstellungscodes ein, die Sie aufbewahrt haben. Jeder gilt einmal.',
    recoveryCode: 'Wiederherstellungscode',
    useRecovery: 'Stattdessen einen Wiederherstellungscode verwenden',
    useApp: 'Stattdessen die Authenticator-App verwenden',
    submit: 'Weiter',
    again: 'Anmeldung neu beginnen',
    beginAgain: 'Beginnen Sie nach fünf Versuchen oder zehn Minuten neu.',
    problems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch, wurde schon verwendet oder kommt zu spät.',
      VALIDATION_FAILED: 'So sieht kein Code aus.',
    },
    enrolTitle: 'Zweiten Faktor einrichten',
    enrolText:
      'Ihr Arbeitsbereich verlangt ihn. Sie brauchen eine Authenticator-App auf Ihrem Telefon, zum Beispiel Google Authenticator, Microsoft Authenticator, 1Password oder Aegis.',
    enrolStart: 'App einrichten',
    enrolProblems: {
      INVALID_CREDENTIALS:
        'Dieser Code ist falsch, oder die Anmeldung hat zu lange gedauert. Prüfen Sie die Uhr Ihres Telefons.',
      CONFLICT: 'Ihr Konto hat inzwischen einen Authenticator. Beginnen Sie die Anmeldung neu.',
    },
    scanText: 'Scannen Sie dies mit der App, und geben Sie dann den Code ein, den sie anzeigt.',
    qrLabel: 'QR-Code für die Authenticator-App',
    secretText: 'Ohne Kamera geben Sie diesen Schlüssel in die App ein:',
    confirm: 'Bestätigen',
    codesTitle: 'Wiederherstellungscodes aufbewahren',
    codesText:
      'Jeder ersetzt einmal einen Code der App, falls Sie Ihr Telefon verlieren. Sie werden nur dieses eine Mal angezeigt.',
    copy: 'Codes kopieren',
    kept: 'Ich habe sie aufbewahrt',
  },
});
