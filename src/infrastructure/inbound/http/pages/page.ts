import type { Response } from 'express';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Sends a page that may load only what this origin serves. @param styles further directives of the policy */
export function sendPage(response: Response, html: string, ...styles: string[]): void {
  const policy = [...POLICY, ...styles].join('; ');
  response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policy }).type('html').send(html);
}
