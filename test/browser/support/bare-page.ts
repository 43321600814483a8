import type { Page } from 'playwright-core';

/** The panel, and its dialogs, which are elsewhere in the page. */
const OURS = `[...document.querySelectorAll('section[lang], [role="dialog"]')]`;

/** The elements that the panel's reset did not reach, or that lie outside of their panel or dialog. */
export function unruly(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`${OURS}.flatMap((ours) => {
    const place = ours.getBoundingClientRect();
    return [...ours.querySelectorAll('*')].flatMap((element) => {
      const { boxSizing, position } = getComputedStyle(element);
      const { left, right, width } = element.getBoundingClientRect();
      const isOutside = width > 1 && position !== 'fixed' && (left < place.left - 1 || right > place.right + 1);
      const faults = [boxSizing !== 'border-box' && boxSizing, isOutside && [left, right].join(' to ')].filter(Boolean);
      return faults.map((fault) => element.outerHTML.slice(0, 120) + ': ' + fault);
    });
  })`);
}

/** How close text comes to the edges of a dialog, in pixels. */
export function roomAround(page: Page): Promise<number> {
  return page.evaluate<number>(`Math.min(...[...document.querySelectorAll('[role="dialog"]')].flatMap((dialog) => {
    const place = dialog.getBoundingClientRect();
    return [...dialog.querySelectorAll('h2, p, label, input:not([type="radio"], [type="checkbox"]), button')]
      .map((element) => element.getBoundingClientRect())
      .filter(({ width }) => width > 1)
      .flatMap(({ left, right }) => [left - place.left, place.right - right]);
  }))`);
}

/** Which properties of the host's own elements the panel's style sheets change. */
export function changedOutside(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const own = document.createElement('div');
    own.innerHTML = '<h1>H</h1><p>P <a href="#">a</a> <code>c</code></p><ul><li>l</li></ul><form><label>L <input></label>' +
      '<input type="checkbox"><select><option>o</option></select><button>B</button><fieldset><legend>F</legend></fieldset></form>' +
      '<table><tbody><tr><td>T</td></tr></tbody></table><dialog open>D</dialog><hr>';
    document.body.append(own);
    const elements = [document.documentElement, document.body, own, ...own.querySelectorAll('*')];
    const look = () => elements.map((element) => ({ ...Object.fromEntries(
      [...getComputedStyle(element)].filter((name) => !name.startsWith('--')).map((name) => [name, getComputedStyle(element).getPropertyValue(name)])) }));
    const sheets = [...document.styleSheets];
    // Elements above in the flow have another height without its style sheet.
    const panel = document.querySelector('main');
    panel.style.display = 'none';
    const before = look();
    for (const sheet of sheets) sheet.disabled = true;
    const after = look();
    for (const sheet of sheets) sheet.disabled = false;
    panel.style.display = '';
    own.remove();
    return elements.flatMap((element, index) => Object.keys(before[index])
      .filter((name) => before[index][name] !== after[index][name])
      .map((name) => element.tagName + ' ' + name + ': ' + before[index][name] + ', not ' + after[index][name]));
  })()`);
}

/** Texts and labels for screen readers with Latin letters, except the key and the example line. */
export function latinOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.body.querySelectorAll('*')]
    .filter((element) => !element.closest('script, style, [role="textbox"]'))
    .flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
      ...['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
    ])
    .filter((text) => /[a-z]{2}/i.test(text))`);
}
