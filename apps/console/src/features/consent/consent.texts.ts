import { catalogue } from '@crm/ui';

export const CONSENT_TEXTS = catalogue({
  en: {
    signIn: 'Sign in to decide',
    signInText: 'An app asks for access to your workspace. Sign in to see what it asks for.',
    title: (app: string) => `Give ${app} access?`,
    workspace: (name: string) => `It would work in the workspace “${name}”, in your name.`,
    scopes: 'What it could do',
    nothing: 'It asks for nothing but to know who you are.',
    choose: 'Untick what you do not want to give it.',
    rights: 'It can do no more than you can yourself.',
    period: (most: string, unused: string) =>
      `It keeps this access for ${most} at most, and loses it when it does not use it for ${unused}. You can end it sooner.`,
    destination: (host: string) => `After your answer you go to ${host}.`,
    deny: 'Deny',
    approve: 'Give access',
    loading: 'What the app asks for is being loaded',
    leaving: (host: string) => `You are being taken to ${host}`,
    leavingText: 'You can close this page if nothing happens.',
    gone: 'This request does not exist any more',
    goneText: 'It was answered, it has expired, or it was made for another workspace. Begin again in the app.',
    problems: {
      NOTHING_CHOSEN: 'Leave at least one ticked, or deny the access.',
      INSUFFICIENT_SCOPE: 'Your account may not give this access. Ask an administrator of your workspace.',
      SCOPE_NOT_OFFERED: 'What the app may ask for has changed meanwhile. Begin again in the app.',
      SCOPE_REQUIRED: 'What the app needs has changed meanwhile. Begin again in the app.',
      APP_NOT_INSTALLED: 'The app is not installed in your workspace. Ask an administrator to install it.',
    },
  },
  de: {
    signIn: 'Anmelden, um zu entscheiden',
    signInText:
      'Eine App bittet um Zugriff auf Ihren Arbeitsbereich. Melden Sie sich an, um zu sehen, worum sie bittet.',
    title: (app) => `${app} Zugriff geben?`,
    workspace: (name) => `Sie würde im Arbeitsbereich „${name}“ in Ihrem Namen arbeiten.`,
    scopes: 'Was sie tun könnte',
    nothing: 'Sie möchte nur wissen, wer Sie sind.',
    choose: 'Entfernen Sie den Haken bei allem, was Sie ihr nicht geben möchten.',
    rights: 'Sie kann nicht mehr als Sie selbst.',
    period: (most, unused) =>
      `Sie behält diesen Zugriff höchstens ${most} und verliert ihn, wenn sie ihn ${unused} lang nicht nutzt. Sie können ihn früher beenden.`,
    destination: (host) => `Nach Ihrer Antwort geht es weiter zu ${host}.`,
    deny: 'Ablehnen',
    approve: 'Zugriff geben',
    loading: 'Es wird geladen, worum die App bittet',
    leaving: (host) => `Es geht weiter zu ${host}`,
    leavingText: 'Wenn nichts geschieht, können Sie diese Seite schließen.',
    gone: 'Diese Anfrage gibt es nicht mehr',
    goneText:
      'Sie wurde beantwortet, ist abgelaufen oder gilt einem anderen Arbeitsbereich. Beginnen Sie in der App noch einmal.',
    problems: {
      NOTHING_CHOSEN: 'Lassen Sie mindestens einen Haken stehen, oder lehnen Sie den Zugriff ab.',
      INSUFFICIENT_SCOPE:
        'Ihr Konto darf diesen Zugriff nicht geben. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      SCOPE_NOT_OFFERED:
        'Worum die App bitten darf, hat sich inzwischen geändert. Beginnen Sie in der App noch einmal.',
      SCOPE_REQUIRED: 'Was die App braucht, hat sich inzwischen geändert. Beginnen Sie in der App noch einmal.',
      APP_NOT_INSTALLED:
        'Die App ist in Ihrem Arbeitsbereich nicht installiert. Bitten Sie die Administration, sie zu installieren.',
    },
  },
});
