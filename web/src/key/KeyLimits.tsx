import { Fragment, type ReactElement } from 'react';
import { useTexts } from '../texts';
import list from '../ui/list.module.css';
import { byResource, capital, meaningOf } from './limits';

interface LimitsProps {
  readonly permissions: readonly string[] | null;
  readonly allowedNetworks?: readonly string[] | null;
  /** The number of lines that there is room for. */
  readonly most?: number;
}

/** Among facts: what a key is limited to. */
export function Limits({ permissions, allowedNetworks, most = Infinity }: LimitsProps) {
  const { restrictions } = useTexts();
  const lines = (all: readonly ReactElement[]) => {
    const shown = all.length > most ? all.slice(0, most - 1) : all;
    return (
      <dd>
        <ul>
          {shown.map((line) => (
            <li key={line.key}>{line}</li>
          ))}
          {shown.length < all.length && <li>{restrictions.more(all.length - shown.length)}</li>}
        </ul>
      </dd>
    );
  };
  return (
    <>
      {permissions && <dt>{restrictions.permissions}</dt>}
      {permissions &&
        lines([...byResource(permissions)].map(([of, actions]) => <Permission key={of} of={of} actions={actions} />))}
      {allowedNetworks && <dt>{restrictions.allowedNetworks}</dt>}
      {allowedNetworks && lines(allowedNetworks.map((network) => <code key={network}>{network}</code>))}
    </>
  );
}

/** All that may be done with one resource, in words and as it is written. */
export function Permission({ of, actions }: { readonly of: string; readonly actions: readonly string[] }) {
  const texts = useTexts();
  return (
    <>
      <span>{capital(meaningOf([of], actions, texts))}</span>
      {actions.map((action) => (
        <Fragment key={action}>
          {' '}
          <code className={list.slug}>{`${of}:${action}`}</code>
        </Fragment>
      ))}
    </>
  );
}
