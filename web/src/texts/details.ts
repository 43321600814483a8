export const details = {
  title: 'API key',
  prefix: 'Begins with',
  access: 'Access',
  id: 'ID',
  activity: 'What happened to it',
  noActivity: 'Nothing is on record for it any more.',
  allActivity: 'All its activity',
  unknown: 'You have no such key.',
};
