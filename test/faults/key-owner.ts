import { Person } from '../support/callers/person.js';

/** An owner who creates a key and revokes it, again and again, and remembers the acknowledged changes. */
export class KeyOwner {
  readonly created: { id: string; fullKey: string }[] = [];
  readonly revoked: string[] = [];

  private constructor(private readonly cookie: string) {}

  static async signIn(url: string, email: string): Promise<KeyOwner> {
    return new KeyOwner((await new Person(url).signIn(email)).cookie);
  }

  /** Works until the instance is killed. First it revokes a key that a crash has left active. */
  async work(url: string): Promise<void> {
    const person = new Person(url);
    person.cookie = this.cookie;
    try {
      for (const { id } of (await person.list('?status=active')).items) await this.revoke(person, id);
      for (;;) {
        const { apiKey, fullKey } = await person.newKey();
        this.created.push({ id: apiKey.id, fullKey });
        await this.revoke(person, apiKey.id);
      }
    } catch (error) {
      // fetch reports a broken connection in this way (`instanceof` fails under Jest, where the class is of another realm).
      // Any other error is an answer that must not happen.
      if ((error as Error).name !== 'TypeError') throw error;
    }
  }

  private async revoke(person: Person, id: string): Promise<void> {
    const { status, body } = await person.revoke(id);
    if (status !== 200) throw new Error(`revoke answered ${status}: ${JSON.stringify(body)}`);
    this.revoked.push(id);
  }
}
