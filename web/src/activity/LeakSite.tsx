import type { Leak } from '../api/types';
import { leakPlace } from '../key/leak';
import { useTexts } from '../texts';
import { NewTabLink } from '../ui/links';
import classes from './activity.module.css';

/**
 * Where a leaked key was found. A stranger may have written both texts, so `leakPlace` decides what is a link. It is shown
 * in full, and its site does not learn where the person came from.
 */
export function LeakSite({ leak }: { readonly leak: Leak }) {
  const { source, url } = leak;
  const { href } = leakPlace(leak);
  const { foundBy, foundAt } = useTexts().activity;
  return (
    <>
      {source && <div className={classes.what}>{foundBy(source)}</div>}
      {url && (
        <div className={classes.what}>
          {foundAt} {href ? <NewTabLink href={href}>{url}</NewTabLink> : url}
        </div>
      )}
    </>
  );
}
