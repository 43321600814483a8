import { Person } from './person.js';

/** A browser that follows redirects, with cookies for each origin. It renders nothing and runs no scripts. */
export class HttpBrowser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** Every address that it has visited. */
  readonly trail: string[] = [];

  /** Follows redirects until a page answers, or until one leads to `until`. Returns the last address. */
  async visit(address: string, until = '/settings/'): Promise<string> {
    let url = new URL(address);
    for (let hops = 0; hops < 20; hops += 1) {
      this.trail.push(url.href);
      const next = url.pathname.startsWith(until) ? undefined : await this.go(url);
      if (!next) return url.href;
      url = next;
    }
    throw new Error(`sent around in a circle: ${this.trail.join(' ')}`);
  }

  cookies(origin: string): Map<string, string> {
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }

  /** A client with this browser's cookies for a service, like the settings screen. */
  person(origin: string): Person {
    const person = new Person(origin);
    person.cookie = this.cookieHeader(origin);
    return person;
  }

  /** One request. Returns the address of the redirect, if there is one. */
  async go(url: URL): Promise<URL | undefined> {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookieHeader(url.origin) } });
    for (const line of response.headers.getSetCookie()) this.keep(url.origin, line);
    const location = response.headers.get('location');
    await response.text();
    return location === null ? undefined : new URL(location, url);
  }

  private cookieHeader(origin: string): string {
    return [...this.cookies(origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(origin: string, line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    const isOver = /expires=thu, 01 jan 1970/i.test(line);
    if (isOver) this.cookies(origin).delete(name!);
    else this.cookies(origin).set(name!, value!);
  }
}
