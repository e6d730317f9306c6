import { normalizeName } from '../../util/names.ts';

/* The words of documents for users, and for what they have, without uppercase letters and separators. */

/** The name of a user, also in other languages. */
export const USER_WORDS = [
  'user',
  ...['usuario', 'usuaria', 'utilisateur', 'utente', 'utilizador', 'benutzer', 'pengguna', 'kullanici'],
];

/** Names of entries that are people. */
export const PERSONS = [
  ...USER_WORDS,
  ...['member', 'person', 'account', 'customer', 'author', 'owner', 'employee', 'profile'],
];

/** Names of entries that are people only if they log in. */
export const PERSONS_WITH_LOGIN = [
  ...['patient', 'student', 'player', 'driver', 'guest', 'client', 'subscriber', 'learner', 'worker', 'staff', 'admin'],
];

/** Names of properties by which users log in. */
export const LOGIN_NAMES = [
  'email',
  'emailaddress',
  'mail',
  'username',
  'login',
  'userid',
  'phone',
  'phonenumber',
  'mobile',
  'mobilenumber',
  'telephone',
  'identifier',
  'user',
];

/** Names of other properties by which users log in, at paths of logins and registrations. */
export const OTHER_LOGINS = [
  ...['handle', 'nickname', 'screenname', 'alias', 'account', 'accountnumber', 'accountname', 'accountid', 'name'],
  ...['employeeid', 'employeenumber', 'staffid', 'staffnumber', 'memberid', 'membernumber', 'customerid'],
  ...['customernumber', 'studentid', 'studentnumber', 'patientid', 'cardnumber', 'badgenumber', 'number'],
];

/** Names of properties that no two users have in common, also if they log in with another one. */
export const UNIQUE_NAMES = ['email', 'emailaddress', 'mail', 'username', 'login', 'handle'];

/** Matches the names of lists with the ids or the names of users. */
export const PEOPLE_LIST =
  /^(?:user|member|participant|follower|following|followee|assignee|reviewer|collaborator|attendee|watcher|owner|admin|moderator|recipient|guest|contributor|author|subscriber)s?(?:(?:user)?(?:name|id)s?)?$/;

/** Returns whether a property of a request names a user by a login that no other user has. */
export function isLoginName(name: string): boolean {
  return /^(?:email|username)$/.test(normalizeName(name));
}

/** Names of properties with a password. */
export const PASSWORD_NAMES = [
  ...[
    'password',
    'password1',
    'passwd',
    'pwd',
    'passcode',
    'pin',
    'pincode',
    'passphrase',
    'secret',
    'secretcode',
    'accesscode',
  ],
];

/** Names of properties with the user who created an entry. A `customerId` or `assigneeId` is often another user. */
const CREATOR_PROPERTIES = [
  'userid',
  ...['iduser', 'usuarioid', 'idusuario', 'utilisateurid', 'idutilisateur', 'utenteid', 'idutente'],
  'ownerid',
  'authorid',
  'createdby',
  'createdbyid',
  'creatorid',
  'owner',
  'author',
];

/** Words before `By` in the names of properties with the user who created an entry, such as `uploadedBy`. */
const CREATING = [
  ...['created', 'uploaded', 'requested', 'submitted', 'posted', 'added', 'sent', 'reported', 'booked', 'opened'],
  ...['invited', 'ordered', 'registered', 'recorded', 'issued', 'initiated', 'placed', 'raised', 'logged', 'written'],
  'authored',
];

const CREATED_BY = new RegExp(`^(?:${CREATING.join('|')})by$`);

const CREATED_BY_ID =
  /^(?:uploader|requester|requestor|submitter|poster|sender|reporter|inviter|initiator|commenter)(?:user)?id$/;

/** Returns whether an object shows the user who created an entry, by its name. */
export function isCreatedBy(name: string): boolean {
  return CREATED_BY.test(name);
}

/** Returns whether a property has the user who created an entry, or the id of this user. */
export function isCreator(name: string): boolean {
  return (
    CREATOR_PROPERTIES.includes(name) || CREATED_BY_ID.test(name) || CREATED_BY.test(name.replace(/(?:user)?id$/, ''))
  );
}

/** Matches the names of properties with the user who changed an entry last, or the id of this user. */
export const UPDATED_BY = /^(?:last)?(?:updated|modified|edited|changed)by(?:(?:user)?id)?$/;

/** Names of objects that show the user who created an entry. */
export const USER_OBJECTS = [
  ...['author', 'owner', 'user', 'creator', 'createdby', 'sender', 'postedby'],
  ...['reviewer', 'commenter', 'poster', 'organizer', 'host', 'uploader', 'requester', 'submitter'],
];

/** The number of names in `USER_OBJECTS` that always stand for the user who created an entry. */
export const SURE_OBJECTS = 7;

/** Names of entries that say how two users are related, without uppercase letters and separators. */
const RELATIONS =
  /^(?:(?:user)?relationships?|friend(?:ship|request)?|(?:user)?block(?:ed|eduser)?|mute(?:d|duser)?|contact|follow(?:er|ing)?|connection|match|buddy|peer)$/;

/** Returns whether an entry of a user says how another user is related to this user, by the name of the entry. */
export function isRelation(singular: string): boolean {
  return RELATIONS.test(normalizeName(singular));
}

/** Names of properties with the name of a user, the best first. */
export const SHOWN_NAMES = ['username', 'login', 'handle', 'displayname', 'fullname', 'name', 'email'];

/** Names of users that are their ids, and in other entries always stand for a user. */
export const NAME_IDS = ['username', 'userlogin'];

/** Names of properties with the id of the person to whom an entry belongs, the best first. */
export const PERSON_PROPERTIES = [
  ...['userid', 'ownerid', 'assigneeid', 'authorid', 'createdby', 'createdbyid', 'creatorid', 'memberid', 'customerid'],
  ...['accountid', 'owner', 'author', 'assignee'],
];

/** Names of people in an entry who are users of the document. */
export const REFERENCED_USERS = [
  ...['user', 'author', 'owner', 'creator', 'assignee', 'reporter', 'sender', 'actor', 'performer'],
  ...['followee', 'follower'],
  ...['blocked', 'muted', 'followed', 'invited', 'assigned', 'target', 'friend', 'other'].map((word) => `${word}user`),
  ...[...CREATING, 'updated', 'performed', 'changed', 'edited', 'triggered'].map((word) => `${word}by`),
];

/** Matches phone numbers with separators. */
const PHONE = /^\+?[\d\s()./-]{5,}$/;

/** Returns a login as logins are compared: without uppercase letters, and a phone number without separators. */
export function normalizeLogin(value: unknown): string {
  const text = String(value).trim().toLowerCase();
  return PHONE.test(text) ? text.replaceAll(/[^+\d]/g, '') : text;
}
