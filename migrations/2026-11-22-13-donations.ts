import { Migration } from '@mikro-orm/migrations';

/** Orders and their parts, recurring profiles, transactions, and what was pushed. */
export class Donations extends Migration {
  override up(): void {
    this.addSql(`
      create table core_orderuserdetail (
        id serial primary key,
        user_id int not null
          constraint core_orderuserdetail_user_id_foreign references core_user (id) on delete cascade,
        email text not null default '',
        prefix text not null default '',
        first_name text not null default '',
        middle_name text not null default '',
        last_name text not null default '',
        suffix text not null default '',
        address1 text not null default '',
        address2 text not null default '',
        city text not null default '',
        state text not null default '',
        region text not null default '',
        zip text not null default '',
        plus4 text not null default '',
        postal text not null default '',
        country text not null default '',
        source text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now()
      );
      create index core_orderuserdetail_created_at_index on core_orderuserdetail (created_at, id);
      create index core_orderuserdetail_updated_at_index on core_orderuserdetail (updated_at, id);
      create index core_orderuserdetail_user_id_index on core_orderuserdetail (user_id);

      create table core_order (
        id serial primary key,
        action_id int not null
          constraint core_order_action_id_foreign references core_action (id),
        mailing_id int,
        mailing_place int,
        user_id int not null
          constraint core_order_user_id_foreign references core_user (id) on delete cascade,
        user_detail_id int not null
          constraint core_order_user_detail_id_foreign references core_orderuserdetail (id),
        account_id int not null
          constraint core_order_account_id_foreign references core_paymentaccount (id),
        card_num_last_four text not null default '',
        currency text not null default 'USD',
        total numeric(14,2) not null,
        total_converted numeric(24,10) not null,
        import_id text,
        payment_method text not null default 'cc',
        status text not null default 'completed',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_order_status_check check (status in ('completed', 'reversed', 'failed', 'incomplete', 'pending')),
        constraint core_order_action_id_unique unique (action_id),
        constraint core_order_import_id_unique unique (import_id)
      );
      create index core_order_account_id_index on core_order (account_id);
      create index core_order_created_at_index on core_order (created_at, id);
      create index core_order_updated_at_index on core_order (updated_at, id);
      create index core_order_user_detail_id_index on core_order (user_detail_id);
      create index core_order_user_id_index on core_order (user_id);

      create table core_orderdetail (
        id serial primary key,
        order_id int not null
          constraint core_orderdetail_order_id_foreign references core_order (id) on delete cascade,
        candidate_id int
          constraint core_orderdetail_candidate_id_foreign references core_candidate (id),
        product_id int
          constraint core_orderdetail_product_id_foreign references core_product (id),
        quantity int not null default 1,
        amount numeric(14,2) not null,
        amount_converted numeric(24,10) not null,
        currency text not null default 'USD',
        status text not null default 'completed',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_orderdetail_status_check check (status in ('completed', 'reversed', 'failed', 'incomplete', 'pending'))
      );
      create index core_orderdetail_candidate_id_index on core_orderdetail (candidate_id);
      create index core_orderdetail_created_at_index on core_orderdetail (created_at, id);
      create index core_orderdetail_order_id_index on core_orderdetail (order_id);
      create index core_orderdetail_product_id_index on core_orderdetail (product_id);
      create index core_orderdetail_updated_at_index on core_orderdetail (updated_at, id);

      create table core_orderrecurring (
        id serial primary key,
        order_id int not null
          constraint core_orderrecurring_order_id_foreign references core_order (id) on delete cascade,
        action_id int not null
          constraint core_orderrecurring_action_id_foreign references core_action (id),
        user_id int not null
          constraint core_orderrecurring_user_id_foreign references core_user (id) on delete cascade,
        account_id int not null
          constraint core_orderrecurring_account_id_foreign references core_paymentaccount (id),
        recurring_id text not null,
        exp_date text not null default '',
        card_num text not null default '',
        amount numeric(14,2) not null,
        amount_converted numeric(24,10) not null,
        currency text not null default 'USD',
        period text not null default 'months',
        start date not null,
        status text not null default 'active',
        canceled_at timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_orderrecurring_period_check check (period in ('weeks', 'months')),
        constraint core_orderrecurring_status_check check (status in (
          'active', 'past_due', 'canceled_by_user', 'canceled_by_admin', 'canceled_by_processor', 'canceled_by_failure',
          'canceled_by_expired'
        )),
        constraint core_orderrecurring_order_id_unique unique (order_id),
        constraint core_orderrecurring_recurring_id_key unique (recurring_id, account_id)
      );
      create index core_orderrecurring_action_id_index on core_orderrecurring (action_id);
      create index core_orderrecurring_created_at_index on core_orderrecurring (created_at, id);
      create index core_orderrecurring_updated_at_index on core_orderrecurring (updated_at, id);
      create index core_orderrecurring_user_id_index on core_orderrecurring (user_id);

      create table core_transaction (
        id serial primary key,
        type text not null,
        order_id int not null
          constraint core_transaction_order_id_foreign references core_order (id) on delete cascade,
        page_id int,
        recurring boolean not null default false,
        account_id int not null
          constraint core_transaction_account_id_foreign references core_paymentaccount (id),
        amount numeric(14,2) not null,
        amount_converted numeric(24,10) not null,
        currency text not null default 'USD',
        success boolean not null default true,
        status text not null default 'completed',
        trans_id text not null default '',
        reversed_id int
          constraint core_transaction_reversed_id_foreign references core_transaction (id) on delete set null,
        failure_code text not null default '',
        failure_description text not null default '',
        failure_message text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_transaction_status_check check (status in ('completed', 'failed', 'reversed', 'incomplete', 'pending')),
        constraint core_transaction_type_check check (type in (
          'sale', 'credit', 'recurring_order_create', 'recurring_order_update', 'recurring_order_cancel'
        ))
      );
      create index core_transaction_created_at_index on core_transaction (created_at, id);
      create index core_transaction_order_id_index on core_transaction (order_id);
      create index core_transaction_reversed_id_index on core_transaction (reversed_id) where reversed_id is not null;
      create index core_transaction_trans_id_index on core_transaction (trans_id) where trans_id > '';
      create index core_transaction_updated_at_index on core_transaction (updated_at, id);

      create table push_key (
        key_digest text primary key,
        body_digest text not null,
        made_id int,
        created_at timestamptz(6) not null default now()
      );
      create index push_key_created_at_index on push_key (created_at);

      create table core_donationattempt (
        id serial primary key,
        email text not null default '',
        name text not null default '',
        page text not null default '',
        errors jsonb not null,
        created_at timestamptz(6) not null default now()
      );
      create index core_donationattempt_email_index on core_donationattempt (lower(email));

      create trigger core_orderuserdetail_stays_empty after update on core_orderuserdetail
        for each row execute function core_beside_user_stays_empty('user_id', 'order_user_details', 'email', 'prefix', 'first_name', 'middle_name', 'last_name', 'suffix', 'address1', 'address2', 'city', 'state', 'region', 'zip', 'plus4', 'postal', 'country', 'source');
    `);
  }
}
