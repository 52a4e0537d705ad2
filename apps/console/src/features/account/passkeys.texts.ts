import { catalogue } from '@crm/ui';

export const PASSKEY_TEXTS = catalogue({
  en: {
    lead: 'A passkey is kept by a device and signs in by a finger, a face or a PIN, without password and code.',
    add: 'Add a passkey',
    added: 'The passkey is added. A mail to you says so.',
    notMade: {
      refused: 'No passkey was made. Try again.',
      alreadyThere: 'This device has a passkey of your account already.',
    },
    notHere: 'This browser makes no passkeys.',
    none: 'You have none.',
    synced: 'synchronised',
    made: 'Added',
    name: 'Name',
    rename: 'Rename',
    renameTitle: 'Rename the passkey',
    renamed: 'The passkey has another name.',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeText: 'It does not sign in any more. Sessions that it has opened go on.',
    removed: 'The passkey is removed. A mail to you says so.',
    gone: 'Removed',
    problems: {
      CONFLICT: 'You have ten passkeys, which is as many as there can be. Remove one first.',
      INVALID_CREDENTIALS: 'This took too long, or the device gave no valid answer. Try again.',
    },
  },
  de: {
    lead: 'Ein Passkey liegt auf einem Gerät und meldet mit Finger, Gesicht oder PIN an, ohne Passwort und Code.',
    add: 'Passkey hinzufügen',
    added: 'Der Passkey ist hinzugefügt. Darüber geht Ihnen eine E-Mail zu.',
    notMade: {
      refused: 'Es wurde kein Passkey erstellt. Versuchen Sie es erneut.',
      alreadyThere: 'Dieses Gerät hat bereits einen Passkey Ihres Kontos.',
    },
    notHere: 'Dieser Browser erstellt keine Passkeys.',
    none: 'Sie haben keinen.',
    synced: 'synchronisiert',
    made: 'Hinzugefügt',
    name: 'Name',
    rename: 'Umbenennen',
    renameTitle: 'Passkey umbenennen',
    renamed: 'Der Passkey hat einen anderen Namen.',
    remove: 'Entfernen',
    removeTitle: (name) => `„${name}“ entfernen?`,
    removeText: 'Er meldet dann nicht mehr an. Sitzungen, die er geöffnet hat, laufen weiter.',
    removed: 'Der Passkey ist entfernt. Darüber geht Ihnen eine E-Mail zu.',
    gone: 'Entfernt',
    problems: {
      CONFLICT: 'Sie haben zehn Passkeys, und mehr kann es nicht geben. Entfernen Sie zuerst einen.',
      INVALID_CREDENTIALS:
        'Das hat zu lange gedauert, oder das Gerät hat nicht gültig geantwortet. Versuchen Sie es erneut.',
    },
  },
});
