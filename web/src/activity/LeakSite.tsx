import { VisuallyHidden } from '@mantine/core';
import type { Leak } from '../api/types';
import { useTexts } from '../texts';
import classes from './activity.module.css';

/**
 * Where a leaked key was found. A stranger may have written both texts, so only an https address is a link. It is shown
 * in full, and its site does not learn where the person came from.
 */
export function LeakSite({ leak: { source, url } }: { readonly leak: Leak }) {
  const texts = useTexts();
  const { foundBy, foundAt } = texts.activity;
  return (
    <>
      {source && <div className={classes.what}>{foundBy(source)}</div>}
      {url && (
        <div className={classes.what}>
          {foundAt}{' '}
          {url.startsWith('https://') ? (
            <a href={url} target="_blank" rel="noopener noreferrer" className={classes.link}>
              {url} <VisuallyHidden component="span">{texts.newTab}</VisuallyHidden>
            </a>
          ) : (
            url
          )}
        </div>
      )}
    </>
  );
}
