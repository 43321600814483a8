import { VisuallyHidden } from '@mantine/core';
import type { Leak } from '../api/types';
import { leakPlace } from '../key/leak';
import { useTexts } from '../texts';
import surface from '../ui/surface.module.css';
import classes from './activity.module.css';

/**
 * Where a leaked key was found. A stranger may have written both texts, so `leakPlace` decides what is a link. It is shown
 * in full, and its site does not learn where the person came from.
 */
export function LeakSite({ leak }: { readonly leak: Leak }) {
  const { source, url } = leak;
  const { href } = leakPlace(leak);
  const texts = useTexts();
  const { foundBy, foundAt } = texts.activity;
  return (
    <>
      {source && <div className={classes.what}>{foundBy(source)}</div>}
      {url && (
        <div className={classes.what}>
          {foundAt}{' '}
          {href ? (
            <a href={href} target="_blank" rel="noopener noreferrer" className={surface.link}>
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
