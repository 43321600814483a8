import type { Texts } from '../english/english';

export const session: Texts['session'] = {
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  emailRequired: 'Geben Sie Ihre E-Mail-Adresse ein',
  wrong: 'E-Mail-Adresse oder Passwort ist falsch',
  platform: {
    submit: 'Mit Ihrem Konto anmelden',
  },
  again: {
    title: 'Erneut anmelden',
    text: 'Ihre Sitzung ist beendet. Melden Sie sich an, um fortzufahren. Ihre Eingaben bleiben erhalten.',
  },
  stepUp: {
    confirmed: (button) => `Bestätigt. Klicken Sie auf „${button}“.`,
    too_old: 'Diese Anmeldung ist zu lange her. Melden Sie sich jetzt erneut an.',
    too_weak:
      'Diese Anmeldung war nicht sicher genug: Verwenden Sie Ihren zweiten Faktor, zum Beispiel einen Sicherheitsschlüssel oder einen Code von Ihrem Telefon.',
  },
};
