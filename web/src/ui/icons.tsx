import type { ReactNode } from 'react';

/** Drawn here, because a library of icons would be larger than these few. */
export const icon = (drawing: ReactNode) => () => (
  <svg
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {drawing}
  </svg>
);

export const KeyIcon = icon(
  <>
    <circle cx="8" cy="16" r="4.5" />
    <path d="M11.3 12.7 20 4m-3 3 3 3" />
  </>,
);
export const MoreIcon = icon(<path d="M12 5h.01M12 12h.01M12 19h.01" strokeWidth="3.4" />);
export const AlertIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5M12 16h.01" />
  </>,
);
export const WarningIcon = icon(<path d="M12 4 2.8 20h18.4L12 4Zm0 6v4.5m0 2.5h.01" />);
export const ClockIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5l3 2" />
  </>,
);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15V6a2 2 0 0 1 2-2h9" />
  </>,
);
export const EditIcon = icon(<path d="M4 20h4L19 9l-4-4L4 16v4Zm9-13 4 4" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
/** Points to the side of a closed section. */
export const ChevronIcon = icon(<path d="m9 6 6 6-6 6" />);
export const SearchIcon = icon(
  <>
    <circle cx="10.5" cy="10.5" r="6" />
    <path d="m15 15 5 5" />
  </>,
);
