import { useCallback, useEffect, useState } from 'react';
import classes from './Announcer.module.css';

const SHOWN_MS = 7000;

/** The number makes a repeated message a new announcement. */
interface Announcement {
  readonly message: string;
  readonly number: number;
}

export function useAnnouncement(): [Announcement | undefined, (message?: string) => void] {
  const [announcement, setAnnouncement] = useState<Announcement>();
  const announce = useCallback((message?: string) => {
    setAnnouncement((previous) =>
      message === undefined ? undefined : { message, number: (previous?.number ?? 0) + 1 },
    );
  }, []);
  useEffect(() => {
    if (!announcement) return undefined;
    const timer = setTimeout(() => setAnnouncement(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [announcement]);
  return [announcement, announce];
}

/** The region stays in the page, since screen readers announce only changes in an existing region. */
export function Announcer({ message }: { readonly message: Announcement | undefined }) {
  return (
    <div role="status" className={classes.region}>
      {message && (
        <p key={message.number} className={classes.message}>
          {message.message}
        </p>
      )}
    </div>
  );
}
