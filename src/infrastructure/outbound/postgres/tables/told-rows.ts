import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What has been told of a key because time has passed. Apart from api_keys: telling changes nothing that a validation reads. */
@Entity('told_notices')
export class ToldNoticesRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'told_notices_pkey' })
  keyId!: string;
  /** The fewest days before the expiry that were told. */
  @Column('smallint', { name: 'expiry_days', nullable: true })
  expiryDays!: number | null;
  @Column('boolean', { name: 'rotation_unused', default: false })
  rotationUnused!: boolean;
}
